// Package lang is the flag --lang: the languages that a reader wants lessons in, said by the flag or by the locale.
package lang

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/text/language"

	"kubarium/app/cli"
	"kubarium/scenarios"
	"kubarium/scenarios/translation"
	"kubarium/scenarios/words"
	"kubarium/server/nearest"
	"kubarium/tui/term"
)

// A Flag is the value of --lang: the language of lessons.
type Flag struct {
	Said string // a tag of BCP 47; "" leaves it to the locale
}

func (l *Flag) Declare(f *pflag.FlagSet) {
	f.Var(l, "lang", "language of lessons and of the screen, such as zh or pt-BR; en is the original (default: that of the locale)")
}

// Set takes a tag, also as locales write it.
func (l *Flag) Set(text string) error {
	if _, err := Parse(text); err != nil {
		return err
	}
	l.Said = text
	return nil
}

func (l *Flag) String() string { return l.Said }

// Type names the value in a flag's help.
func (l *Flag) Type() string { return "string" }

// Parse reads a tag of BCP 47, also as locales write it: zh_CN.
func Parse(text string) (language.Tag, error) {
	tag, err := language.Parse(strings.ReplaceAll(text, "_", "-"))
	if err != nil || tag == language.Und {
		return language.Und, errors.New("must be a language, such as zh or pt-BR" + hintLang(text))
	}
	return tag, nil
}

// Words are the languages that there are, the original first.
func Words() []string {
	tags, _ := translation.Languages() // those that come along can be listed
	return langNames(tags)
}

// hintLang asks whether one of the languages was meant by what is none, the original last.
func hintLang(text string) string {
	names := Words()
	return nearest.Hint(text, append(names[1:], names[0]))
}

func langNames(tags []language.Tag) []string {
	names := []string{language.English.String()}
	for _, t := range tags {
		names = append(names, t.String())
	}
	return names
}

// Wanted are the languages that the reader wants lessons in, the dearest first; none for the original. A language
// that the flag names must be there: in one of the lessons that come along, or of these. A screen of ASCII alone
// shows the original unless another was said.
func (l *Flag) Wanted(lessons []*scenarios.Lesson, ascii bool) ([]language.Tag, error) {
	if l.Said == "" {
		if ascii {
			return nil, nil
		}
		return localeLanguages(os.Getenv), nil
	}
	tag, err := Parse(l.Said)
	if err != nil {
		return nil, err
	}
	all, err := translation.Languages()
	if err != nil {
		return nil, err
	}
	for _, of := range lessons {
		tags, err := translation.LanguagesOf(of)
		if err != nil {
			return nil, err
		}
		for _, t := range tags {
			if !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	}
	if _, ok := translation.Choose(all, tag); !ok && !IsOriginal(tag) {
		return nil, cli.Misuse(fmt.Errorf("--lang %s: no lesson is translated into it; there are %s", l.Said, strings.Join(langNames(all), ", ")))
	}
	return []language.Tag{tag}, nil
}

// OfScreen is the language of the screen that suits the reader, "" for English.
func (l *Flag) OfScreen(ascii bool) string {
	wanted, err := l.Wanted(nil, ascii)
	if err != nil {
		return "" // lessons say why
	}
	tag, ok := translation.Choose(words.Languages(), wanted...)
	if !ok {
		return ""
	}
	return tag.String()
}

// IsOriginal reports whether a language is that of the lessons themselves.
func IsOriginal(tag language.Tag) bool {
	base, _ := tag.Base()
	return base.String() == "en"
}

// Tell returns the lessons as the reader wants them.
func (l *Flag) Tell(lessons []*scenarios.Lesson, ascii bool) ([]*scenarios.Lesson, error) {
	wanted, err := l.Wanted(lessons, ascii)
	if err != nil {
		return nil, err
	}
	return inLanguage(lessons, wanted)
}

func inLanguage(lessons []*scenarios.Lesson, wanted []language.Tag) ([]*scenarios.Lesson, error) {
	told := make([]*scenarios.Lesson, len(lessons))
	for i, of := range lessons {
		var err error
		if told[i], err = translation.In(of, wanted...); err != nil {
			return nil, err
		}
	}
	return told, nil
}

// localeLanguages are those that the locale names for messages, as gettext takes them: LC_ALL, LC_MESSAGES and LANG
// say one, and unless that is C or POSIX, LANGUAGE is a list that goes before it. There are none where the locale
// cannot show them.
func localeLanguages(env func(string) string) []language.Tag {
	locale := env("LC_ALL")
	for _, name := range []string{"LC_MESSAGES", "LANG"} {
		if locale == "" {
			locale = env(name)
		}
	}
	bare, _, _ := strings.Cut(locale, ".")
	if bare == "" || bare == "C" || bare == "POSIX" || term.CharsetOf(env) == term.ASCIIOnly {
		return nil
	}
	list := []string{locale}
	if more := env("LANGUAGE"); more != "" {
		list = strings.Split(more, ":")
	}
	var tags []language.Tag
	for _, l := range list {
		l, _, _ = strings.Cut(l, "@")
		l, _, _ = strings.Cut(l, ".")
		if l == "C" || l == "POSIX" {
			l = "en"
		}
		if tag, err := Parse(l); err == nil {
			tags = append(tags, tag)
		}
	}
	return tags
}
