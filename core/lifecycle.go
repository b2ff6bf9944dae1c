package core

// gate applies the gates of LSP's life: before initialize, and after shutdown (STOP-9). It returns
// why a message is refused; "" lets it pass. A notification that is refused is dropped.
func (c *Conn) gate(method []byte, entry *entry, request bool) (Code, string) {
	if c.phase.stopping {
		return c.spec.unableCode, "The session is shutting down"
	}
	if !c.requests.gated || entry != nil && entry.method.Mode == ModeBypass {
		return 0, ""
	}
	switch initialize := string(method) == "initialize"; c.phase.lifecycle {
	case LifecycleUninitialized:
		if request && !initialize {
			return CodeNotInitialized, "Server not initialized"
		}
		if !request && string(method) != "exit" {
			return CodeNotInitialized, "Server not initialized"
		}
	case LifecycleInitializing, LifecycleReady:
		if request && initialize {
			return CodeInvalidRequest, "Invalid Request: initialize was already sent"
		}
	case LifecycleShutdown:
		if request {
			return CodeInvalidRequest, "Invalid Request: the server is shutting down"
		}
	}
	return 0, ""
}

// enter follows an admitted request into the phase that it begins.
func (c *Conn) enter(method []byte) {
	if !c.requests.gated {
		return
	}
	switch string(method) {
	case "initialize":
		c.phase.lifecycle = LifecycleInitializing
	case "shutdown":
		c.phase.lifecycle = LifecycleShutdown
	}
}

// initialized follows the outcome of initialize.
func (p *phases) initialized(success bool) {
	if p.lifecycle != LifecycleInitializing {
		return
	}
	p.lifecycle = LifecycleUninitialized
	if success {
		p.lifecycle = LifecycleReady
	}
}

// exit ends the session because the peer says so: 0 after shutdown, else 1.
func (c *Conn) exit() {
	c.requests.exitCode = 1
	if c.phase.lifecycle == LifecycleShutdown {
		c.requests.exitCode = 0
	}
	c.phase.lifecycle = LifecycleExited
	c.end(inputBreak, ReasonExit, nil)
}
