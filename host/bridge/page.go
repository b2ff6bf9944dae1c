package bridge

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"time"
)

// The page, as it was built.
//
//go:embed page/dist
var pageFiles embed.FS

// pagePolicy lets the page run its own scripts and the module, and nothing else.
const pagePolicy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; connect-src 'self' ws: wss:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// pageTypes is a table of its own, because in the system's a script may be anything.
var pageTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
	".txt":  "text/plain; charset=utf-8",
}

func servePage(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", pagePolicy)
	servePageFile(w, r, "index.html")
}

func serveAsset(w http.ResponseWriter, r *http.Request) {
	servePageFile(w, r, "assets/"+r.PathValue("name"))
}

func servePageFile(w http.ResponseWriter, r *http.Request, name string) {
	content, err := fs.ReadFile(pageFiles, "page/dist/"+name)
	if err != nil { // no such file, a folder, or no path at all
		http.NotFound(w, r)
		return
	}
	serveContent(w, r, pageTypes[path.Ext(name)], "", content)
}

// serveContent serves bytes that a browser keeps and asks again about, by their hash. variant tells
// those apart that are served under one URL.
func serveContent(w http.ResponseWriter, r *http.Request, contentType, variant string, content []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", etagOf(content, variant))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// etagOf names a content.
func etagOf(content []byte, variant string) string {
	sum := sha256.Sum256(content)
	return `"` + hex.EncodeToString(sum[:16]) + variant + `"`
}
