package transcript

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/parley-rpc/parley/core"
)

var (
	inputNames     = []string{"open", "ended", "broken"}
	outputNames    = []string{"open", "answering", "finishing", "done", "failed"}
	lifecycleNames = []string{"none", "uninitialized", "initializing", "ready", "shutdown", "exited"}
)

// askStats answers the counters named, by the names of core.Stats in lower case with hyphens.
func askStats(stats *core.Stats, asked []Setting) ([]Setting, error) {
	fields := reflect.ValueOf(*stats)
	var answers []Setting
	for _, ask := range asked {
		found := false
		for i := range fields.NumField() {
			if hyphenated(fields.Type().Field(i).Name) == string(ask.Name) {
				value := strconv.AppendUint(nil, fields.Field(i).Uint(), 10)
				answers = append(answers, Setting{Name: ask.Name, Value: value})
				found = true
			}
		}
		if !found {
			return nil, fmt.Errorf("transcript: no counter %q", ask.Name)
		}
	}
	return answers, nil
}

// askState answers the fields of core.State named.
func askState(s *core.State, asked []Setting) ([]Setting, error) {
	var answers []Setting
	for _, ask := range asked {
		value, found := stateField(s, string(ask.Name))
		if !found {
			return nil, fmt.Errorf("transcript: no field of the state %q", ask.Name)
		}
		answers = append(answers, Setting{Name: ask.Name, Value: []byte(value)})
	}
	return answers, nil
}

func stateField(s *core.State, name string) (value string, found bool) {
	switch name {
	case "input":
		return inputNames[s.Input], true
	case "output":
		return outputNames[s.Output], true
	case "lifecycle":
		return lifecycleNames[s.Lifecycle], true
	case "reason":
		return s.Reason.String(), true
	case "closed":
		return strconv.FormatBool(s.Closed), true
	case "calls":
		return strconv.Itoa(s.Calls), true
	case "running":
		return strconv.Itoa(s.Running), true
	case "waiting":
		return strconv.Itoa(s.Waiting), true
	case "credit":
		return strconv.FormatInt(s.Credit, 10), true
	case "exit-code":
		return strconv.Itoa(s.ExitCode), true
	case "accepted-bytes":
		return strconv.FormatUint(s.AcceptedBytes, 10), true
	case "written-bytes":
		return strconv.FormatUint(s.WrittenBytes, 10), true
	case "queued-bytes":
		return strconv.Itoa(s.QueuedBytes), true
	}
	return "", false
}

// hyphenated spells a Go field name: BytesIn is bytes-in, IDBytesMax is id-bytes-max.
func hyphenated(name string) string {
	var b strings.Builder
	for i := range len(name) {
		isUpper := 'A' <= name[i] && name[i] <= 'Z'
		startsWord := isUpper && i > 0 &&
			(name[i-1] >= 'a' || i+1 < len(name) && name[i+1] >= 'a')
		if startsWord {
			b.WriteByte('-')
		}
		if isUpper {
			b.WriteByte(name[i] - 'A' + 'a')
		} else {
			b.WriteByte(name[i])
		}
	}
	return b.String()
}
