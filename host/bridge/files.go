package bridge

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// The files below Options.Root, for the page (BRIDGE-7). All access goes through an os.Root: no path and
// no symbolic link leads out of it.

// treeDocument is GET /files/. Names are stable.
type treeDocument struct {
	Entries   []treeEntry `json:"entries"`
	Truncated bool        `json:"truncated"` // there are more
}

type treeEntry struct {
	Path      string `json:"path"` // from the root, with slashes
	Size      int64  `json:"size"` // bytes; 0 for a directory
	Directory bool   `json:"directory"`
}

// treeEntriesMax bounds what a tree lists.
const treeEntriesMax = 10_000

// skipped are the directories that a tree leaves out: they hold many files, and none to be edited.
var skipped = []string{".git", "node_modules"}

// rootConfig is how a page and its language server name the root.
func (o *Options) rootConfig() *rootConfig {
	if o.Root == "" {
		return nil
	}
	directory, err := filepath.Abs(o.Root)
	if err != nil { // the working directory is gone
		directory = o.Root
	}
	slashed := strings.TrimPrefix(filepath.ToSlash(directory), "/") // a drive letter has no slash in front, a file URI has
	uri := url.URL{Scheme: "file", Path: "/" + slashed}
	return &rootConfig{URI: strings.TrimSuffix(uri.String(), "/"), Name: filepath.Base(directory)}
}

func (b *Bridge) serveFile(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("path")
	if b.root == nil {
		http.Error(w, "this bridge serves no folder", http.StatusNotFound)
		return
	}
	if name == "" {
		b.serveTree(w)
		return
	}
	content, err := b.readFile(name)
	if err != nil {
		fileError(w, err)
		return
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Security-Policy", "sandbox") // a file is data, also when it is opened by itself
	serveContent(w, r, "application/octet-stream", "", content)
}

func (b *Bridge) serveTree(w http.ResponseWriter) {
	document := treeDocument{Entries: []treeEntry{}}
	err := fs.WalkDir(b.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil: // a directory that may not be read has no entries
			return nil
		case name == "." || !utf8.ValidString(name):
			return nil
		case entry.IsDir() && slices.Contains(skipped, entry.Name()):
			return fs.SkipDir
		case !entry.IsDir() && !entry.Type().IsRegular():
			return nil
		case len(document.Entries) == treeEntriesMax:
			document.Truncated = true
			return fs.SkipAll
		}
		listed := treeEntry{Path: name, Directory: entry.IsDir()}
		if info, err := entry.Info(); err == nil && !listed.Directory {
			listed.Size = info.Size()
		}
		document.Entries = append(document.Entries, listed)
		return nil
	})
	if err != nil {
		fileError(w, err)
		return
	}
	writeJSON(w, http.StatusOK, document)
}

var (
	errFileTooLarge = errors.New("the file is too large for this bridge")
	errNotRegular   = errors.New("not a regular file")
	errFilePath     = errors.New("not a path inside the folder")
	errFileChanged  = errors.New("the file is not the one that If-Match names, or without If-Match exists already")
)

// readFile reads a regular file of at most FileBytesMax.
func (b *Bridge) readFile(name string) ([]byte, error) {
	if err := checkPath(name); err != nil {
		return nil, err
	}
	info, err := b.root.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // to open a named pipe would wait for ever
		return nil, errNotRegular
	case info.Size() > b.options.FileBytesMax:
		return nil, errFileTooLarge
	}
	file, err := b.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, b.options.FileBytesMax+1)) // it may grow meanwhile
	if int64(len(content)) > b.options.FileBytesMax {
		return nil, errFileTooLarge
	}
	return content, err
}

// checkPath refuses what could be read as another path, and the insides of a repository, whose hooks are
// programs.
func checkPath(name string) error {
	if !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, "\\\x00") || slices.Contains(strings.Split(name, "/"), ".git") {
		return errFilePath
	}
	return nil
}

// fileError says what is wrong without telling where the folder lies.
func fileError(w http.ResponseWriter, err error) {
	status, text := http.StatusInternalServerError, err.Error()
	var named *fs.PathError
	if errors.As(err, &named) {
		text = named.Err.Error()
	}
	var linked *os.LinkError
	if errors.As(err, &linked) {
		text = linked.Err.Error()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		status = http.StatusNotFound
	case errors.Is(err, fs.ErrPermission):
		status = http.StatusForbidden
	case errors.Is(err, errFilePath):
		status = http.StatusBadRequest
	case errors.Is(err, errNotRegular):
		status = http.StatusConflict
	case errors.Is(err, errFileChanged):
		status = http.StatusPreconditionFailed
	case errors.Is(err, errFileTooLarge):
		status = http.StatusRequestEntityTooLarge
	case isEscape(err):
		status, text = http.StatusForbidden, "the path leads out of the folder"
	}
	http.Error(w, text, status)
}

// isEscape knows os.Root's refusal, which has no name of its own.
func isEscape(err error) bool {
	var named *fs.PathError
	return errors.As(err, &named) && strings.Contains(named.Err.Error(), "escapes from parent")
}
