package lang

import (
	"slices"
	"testing"

	"golang.org/x/text/language"
)

// The locale names the languages as gettext takes it.
func TestLocaleLanguages(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want []language.Tag
	}{
		{nil, nil},
		{map[string]string{"LANG": "zh_CN.UTF-8"}, []language.Tag{language.MustParse("zh-CN")}},
		{map[string]string{"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW.UTF-8"}, []language.Tag{language.MustParse("zh-TW")}},
		{map[string]string{"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, nil},
		{map[string]string{"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "POSIX"}, nil},
		{map[string]string{"LANG": "C.UTF-8", "LANGUAGE": "zh"}, nil},
		{map[string]string{"LANG": "de_AT.UTF-8", "LANGUAGE": "pt_BR:zh:C"}, []language.Tag{language.BrazilianPortuguese, language.Chinese, language.English}},
		{map[string]string{"LANG": "sr_RS.UTF-8@latin"}, []language.Tag{language.MustParse("sr-RS")}},
		{map[string]string{"LANG": "zh_CN.GB18030"}, nil},                // its bytes would not be read
		{map[string]string{"LANG": "zh_CN.UTF-8", "TERM": "linux"}, nil}, // nor shown
	} {
		if got := localeLanguages(func(name string) string { return c.env[name] }); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.env, got, c.want)
		}
	}
}
