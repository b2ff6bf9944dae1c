package jsonls

import "encoding/json"

// LSP's parameters and results, as far as this server looks at them.

const logError = 1 // MessageType.Error

type initializeParams struct {
	RootURI          string   `json:"rootUri"`
	WorkspaceFolders []folder `json:"workspaceFolders"`
}

type folder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// foldersMax is how many folders are counted for.
const foldersMax = 64

// folders are the client's first ones, by the newer or the older way to name them.
func (p *initializeParams) folders() []folder {
	if len(p.WorkspaceFolders) == 0 && p.RootURI != "" {
		return []folder{{URI: p.RootURI}}
	}
	return p.WorkspaceFolders[:min(len(p.WorkspaceFolders), foldersMax)]
}

type initializeResult struct {
	Capabilities json.RawMessage `json:"capabilities"`
	ServerInfo   serverInfo      `json:"serverInfo"`
}

type serverInfo struct {
	Name string `json:"name"`
}

type documentID struct {
	URI     string `json:"uri"`
	Version int32  `json:"version"`
}

type documentParams struct {
	TextDocument documentID `json:"textDocument"`
}

type openParams struct {
	TextDocument struct {
		documentID
		Text string `json:"text"`
	} `json:"textDocument"`
}

type changeParams struct {
	documentParams
	ContentChanges []Change `json:"contentChanges"`
}

type positionParams struct {
	documentParams
	Position Position `json:"position"`
}

type formattingParams struct {
	documentParams
	Options FormatOptions `json:"options"`
}

type publishParams struct {
	URI         string       `json:"uri"`
	Version     *int32       `json:"version,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

type logParams struct {
	Type    int    `json:"type"`
	Message string `json:"message"`
}
