package kinds

import (
	"fmt"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The limits of what a Windows container is run as: bytes of a credential, characters of a domain and of a user.
const (
	maxCredentialKiB = 64
	maxWindowsDomain = 256
	maxWindowsUser   = 104
)

// validateWindowsOptions checks with which account a Windows container runs.
func validateWindowsOptions(o *corev1.WindowsSecurityContextOptions, path *field.Path) field.ErrorList {
	if o == nil {
		return nil
	}
	var errs field.ErrorList
	if name := o.GMSACredentialSpecName; name != nil {
		errs = append(errs, named(path.Child("gmsaCredentialSpecName"), *name, validation.IsDNS1123Subdomain(*name))...)
	}
	if spec := o.GMSACredentialSpec; spec != nil {
		at := path.Child("gmsaCredentialSpec")
		if *spec == "" {
			errs = append(errs, field.Invalid(at, *spec, "gmsaCredentialSpec cannot be an empty string"))
		} else if len(*spec) > maxCredentialKiB*1024 {
			errs = append(errs, field.Invalid(at, *spec, fmt.Sprintf("gmsaCredentialSpec size must be under %d KiB", maxCredentialKiB)))
		}
	}
	if o.RunAsUserName != nil {
		errs = append(errs, named(path.Child("runAsUserName"), *o.RunAsUserName, windowsUserReasons(*o.RunAsUserName))...)
	}
	return errs
}

var (
	windowsControl = regexp.MustCompile(`[[:cntrl:]]`)
	netBIOSDomain  = regexp.MustCompile(`^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$`)
	dnsDomain      = regexp.MustCompile(`^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$`)
)

// windowsUserReasons gives the reasons why a name is not that of a user, with or without a domain: "NT AUTHORITY\SYSTEM".
func windowsUserReasons(name string) []string {
	domain, user, qualified := strings.Cut(name, `\`)
	switch {
	case name == "":
		return []string{"runAsUserName cannot be an empty string"}
	case windowsControl.MatchString(name):
		return []string{"runAsUserName cannot contain control characters"}
	case strings.Count(name, `\`) > 1:
		return []string{"runAsUserName cannot contain more than one backslash"}
	case !qualified:
		return windowsAccountReasons(name)
	}
	var reasons []string
	if len(domain) >= maxWindowsDomain {
		reasons = append(reasons, fmt.Sprintf("runAsUserName's Domain length must be under %d characters", maxWindowsDomain))
	}
	if !netBIOSDomain.MatchString(domain) && !dnsDomain.MatchString(domain) {
		reasons = append(reasons, "runAsUserName's Domain doesn't match the NetBios nor the DNS format")
	}
	return append(reasons, windowsAccountReasons(user)...)
}

func windowsAccountReasons(user string) []string {
	var reasons []string
	if user == "" {
		reasons = append(reasons, "runAsUserName's User cannot be empty")
	} else if len(user) > maxWindowsUser {
		reasons = append(reasons, fmt.Sprintf("runAsUserName's User length must not be longer than %d characters", maxWindowsUser))
	}
	if user != "" && strings.Trim(user, ". ") == "" {
		reasons = append(reasons, "runAsUserName's User cannot contain only periods or spaces")
	}
	if strings.ContainsAny(user, `"/\:;|=,+*?<>@[]`) {
		reasons = append(reasons, `runAsUserName's User cannot contain the following characters: "/\:;|=,+*?<>@[]`)
	}
	return reasons
}
