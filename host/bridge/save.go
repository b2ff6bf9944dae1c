package bridge

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"sync"
)

// saving lets one save go on at a time, from its look at what is there to the rename.
var saving sync.Mutex

// saveFile is PUT /files/PATH: the whole file or nothing. If-Match names the state that it replaces;
// without it the file must not exist yet. What somebody else wrote meanwhile is not overwritten: 412.
func (b *Bridge) saveFile(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("path")
	if b.root == nil {
		http.Error(w, "this bridge serves no folder", http.StatusNotFound)
		return
	}
	content, err := io.ReadAll(http.MaxBytesReader(w, r.Body, b.options.FileBytesMax))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		fileError(w, errFileTooLarge)
		return
	case err != nil: // half a file is none
		http.Error(w, "the body ended early", http.StatusBadRequest)
		return
	}
	status, err := b.save(name, r.Header.Get("If-Match"), content)
	if err != nil {
		fileError(w, err)
		return
	}
	w.Header().Set("ETag", etagOf(content, ""))
	w.WriteHeader(status)
}

// save writes a file beside the old one and renames it over it. Its error says why nothing changed.
func (b *Bridge) save(name, ifMatch string, content []byte) (status int, err error) {
	if err := checkPath(name); err != nil {
		return 0, err
	}
	saving.Lock()
	defer saving.Unlock()
	mode, exists, err := b.replaceable(name)
	if err != nil {
		return 0, err
	}
	if err := b.matches(name, ifMatch, exists); err != nil {
		return 0, err
	}
	draft := path.Join(path.Dir(name), ".parley-"+rand.Text())
	if err := b.writeDraft(draft, mode, content); err != nil {
		return 0, err
	}
	if err := b.root.Rename(draft, name); err != nil {
		return 0, errors.Join(err, b.root.Remove(draft))
	}
	if exists {
		return http.StatusNoContent, nil
	}
	return http.StatusCreated, nil
}

// replaceable says whether a file is there, with which mode, and refuses what a rename would destroy: a
// symbolic link, a directory, a device.
func (b *Bridge) replaceable(name string) (mode fs.FileMode, exists bool, err error) {
	info, err := b.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0o644, false, nil
	case err != nil:
		return 0, false, err
	case !info.Mode().IsRegular():
		return 0, true, errNotRegular
	}
	return info.Mode().Perm(), true, nil
}

// matches compares what is there with the state that is to be replaced.
func (b *Bridge) matches(name, ifMatch string, exists bool) error {
	if !exists {
		if ifMatch == "" {
			return nil
		}
		return errFileChanged
	}
	current, err := b.readFile(name)
	if err != nil {
		return err
	}
	if ifMatch != etagOf(current, "") {
		return errFileChanged
	}
	return nil
}

// writeDraft writes a new file, to the disk before it gets its name.
func (b *Bridge) writeDraft(draft string, mode fs.FileMode, content []byte) error {
	file, err := b.root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err != nil {
		return errors.Join(err, b.root.Remove(draft))
	}
	return nil
}
