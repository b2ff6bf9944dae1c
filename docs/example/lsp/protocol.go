package lsp

// What both sides say, as far as they look at it.

type openParams struct {
	TextDocument textDocument `json:"textDocument"`
}

type hoverParams struct {
	TextDocument textDocument `json:"textDocument"`
	Position     struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	} `json:"position"`
}

type textDocument struct {
	URI  string `json:"uri"`
	Text string `json:"text,omitempty"`
}

type hover struct {
	Contents string `json:"contents"`
}

type messageParams struct {
	Type    int    `json:"type"`
	Message string `json:"message"`
}
