package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// paramsBytesMax is the largest frame of any profile; more could not be sent.
const paramsBytesMax = 64 << 20

// readParams turns the PARAMS argument into JSON text: the text itself, @FILE, or - for stdin.
// Without the argument there are none.
func readParams(argument string, e *env) (json.RawMessage, error) {
	text, origin := []byte(argument), "PARAMS"
	switch {
	case argument == "":
		return nil, nil
	case argument == "-":
		var err error
		if text, err = readAll(e.stdin); err != nil {
			return nil, usageError{"PARAMS from stdin: " + err.Error()}
		}
		origin = "PARAMS from stdin"
	case argument[0] == '@':
		file, err := os.Open(argument[1:])
		if err != nil {
			return nil, usageError{"PARAMS: " + err.Error()}
		}
		defer file.Close()
		if text, err = readAll(file); err != nil {
			return nil, usageError{"PARAMS from " + argument[1:] + ": " + err.Error()}
		}
		origin = "PARAMS from " + argument[1:]
	}
	return checkParams(text, origin)
}

// checkParams refuses here what could not be sent, while nothing is started yet (CALL-8).
func checkParams(text []byte, origin string) (json.RawMessage, error) {
	var params json.RawMessage
	if err := json.Unmarshal(text, &params); err != nil {
		syntax := new(json.SyntaxError)
		if errors.As(err, &syntax) {
			origin += fmt.Sprintf(", %d bytes read", syntax.Offset)
		}
		return nil, usageError{origin + ": " + err.Error()}
	}
	if first := strings.TrimLeft(string(params[:1]), "{["); first != "" {
		return nil, usageError{origin + ": params are an object or an array, or left out"}
	}
	return params, nil
}

func readAll(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, paramsBytesMax+1))
	if err == nil && len(text) > paramsBytesMax {
		err = fmt.Errorf("more than %d bytes", paramsBytesMax)
	}
	return text, err
}
