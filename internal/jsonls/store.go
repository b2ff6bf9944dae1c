package jsonls

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"
)

// Bounds of a Store.
const (
	documentsMax     = 1024
	documentBytesMax = 4 << 20  // one document; parsing it needs a small multiple
	storeBytesMax    = 32 << 20 // all of them
)

// Errors of a Store. Whoever gets one for a change has lost the document: what the client sees and
// what the server has are no longer the same text.
var (
	ErrTooLarge = errors.New("the document is too large for this server")
	ErrTooMany  = errors.New("too many documents are open")
	ErrNotOpen  = errors.New("the document is not open")
	ErrBadRange = errors.New("a change ends before it starts")
)

// Change is one entry of didChange: without a Range, Text is the whole document.
type Change struct {
	Range *Range `json:"range"`
	Text  string `json:"text"`
}

// Document is one open document.
type Document struct {
	URI     string
	Version int32
	Text    *Text
}

// Store holds the open documents. It is not safe for concurrent use; the documents it hands out
// are never changed.
type Store struct {
	documents map[string]*Document
	sizeBytes int
}

// NewStore returns an empty Store.
func NewStore() *Store {
	return &Store{documents: map[string]*Document{}}
}

// Get returns an open document, or nil.
func (s *Store) Get(uri string) *Document { return s.documents[uri] }

// URIs returns the names of the open documents, sorted.
func (s *Store) URIs() []string { return slices.Sorted(maps.Keys(s.documents)) }

// Open adds a document, or replaces it when a client opens it twice.
func (s *Store) Open(uri string, version int32, content string) (*Document, error) {
	s.Close(uri)
	if len(s.documents) == documentsMax {
		return nil, fmt.Errorf("%w: at most %d", ErrTooMany, documentsMax)
	}
	return s.put(uri, version, content)
}

// Change applies changes in order, each to the result of the one before, as LSP demands. On an
// error the document is closed.
func (s *Store) Change(uri string, version int32, changes []Change) (*Document, error) {
	document := s.documents[uri]
	if document == nil {
		return nil, ErrNotOpen
	}
	s.Close(uri)
	text := document.Text
	for i, change := range changes {
		content, err := apply(text, change)
		if err != nil {
			return nil, fmt.Errorf("change %d: %w", i, err)
		}
		text = NewText(content)
	}
	return s.put(uri, version, text.content)
}

// Close forgets a document; it is a no-op for one that is not open.
func (s *Store) Close(uri string) {
	document := s.documents[uri]
	if document == nil {
		return
	}
	s.sizeBytes -= len(document.Text.content)
	delete(s.documents, uri)
}

func (s *Store) put(uri string, version int32, content string) (*Document, error) {
	if err := checkSize(len(content)); err != nil {
		return nil, err
	}
	if s.sizeBytes+len(content) > storeBytesMax {
		return nil, fmt.Errorf("%w: all open documents together hold at most %d bytes", ErrTooMany, storeBytesMax)
	}
	document := &Document{URI: uri, Version: version, Text: NewText(content)}
	s.documents[uri] = document
	s.sizeBytes += len(content)
	return document, nil
}

func apply(text *Text, change Change) (string, error) {
	content := change.Text
	if change.Range != nil {
		start, end := text.Offset(change.Range.Start), text.Offset(change.Range.End)
		if end < start {
			return "", ErrBadRange
		}
		content = text.content[:start] + content + text.content[end:]
	}
	return content, checkSize(len(content))
}

func checkSize(sizeBytes int) error {
	if sizeBytes > documentBytesMax {
		return fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, sizeBytes, documentBytesMax)
	}
	return nil
}

// cut shortens text for people to at most bytesMax bytes, at a character boundary.
func cut(text string, bytesMax int) string {
	if len(text) <= bytesMax {
		return text
	}
	for bytesMax > 0 && !utf8.RuneStart(text[bytesMax]) {
		bytesMax--
	}
	return text[:bytesMax] + "…"
}
