package wasmhost

// makeSpares starts to make as many instances as Spares wants and are neither there nor in the making.
// Engine.mu is held.
func (e *Engine) makeSpares() {
	for ; len(e.spares)+e.making < e.options.spares; e.making++ {
		e.makers.Go(e.makeSpare)
	}
}

// makeSpare makes one. Where that fails, whoever needs an instance makes one itself and learns why not.
func (e *Engine) makeSpare() {
	in, err := newInstance(e.ctx, e.runtime, e.compiled)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.making--
	if err == nil && e.instances != nil { // a closed engine's runtime closes it
		e.spares = append(e.spares, in)
	}
}

// takeSpare returns an instance that is ready, or nil, and has another one made. Engine.mu is held.
func (e *Engine) takeSpare() *instance {
	n := len(e.spares)
	if n == 0 {
		e.makeSpares()
		return nil
	}
	in := e.spares[n-1]
	e.spares = e.spares[:n-1]
	e.makeSpares()
	return in
}
