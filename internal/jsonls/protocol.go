package jsonls

// LSP's parameters and results, as far as this server looks at them.

const (
	syncIncremental = 2 // TextDocumentSyncKind.Incremental
	logError        = 1 // MessageType.Error
)

type textDocumentSync struct {
	OpenClose bool `json:"openClose"`
	Change    int  `json:"change"`
}

type initializeParams struct {
	Capabilities struct {
		TextDocument struct {
			PublishDiagnostics *struct{} `json:"publishDiagnostics"`
		} `json:"textDocument"`
	} `json:"capabilities"`
}

type initializeResult struct {
	Capabilities map[string]any `json:"capabilities"`
	ServerInfo   serverInfo     `json:"serverInfo"`
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

type hoverParams struct {
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
