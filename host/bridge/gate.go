package bridge

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// gate decides who may connect (BRIDGE-1). A page of any web site can reach a loopback address, and by a
// name of its own that it lets point there; what it cannot do is choose Host and Origin.
type gate struct {
	hosts    map[string]bool // name, or name:port
	origins  map[string]bool // canonical
	token    [sha256.Size]byte
	hasToken bool
}

func newGate(o *Options) (*gate, error) {
	g := &gate{hosts: map[string]bool{}, origins: map[string]bool{}, token: sha256.Sum256([]byte(o.Token)), hasToken: o.Token != ""}
	for _, text := range o.AllowHosts {
		u, ok := parseHost(text)
		if !ok {
			return nil, fmt.Errorf("bridge: allowed host %q: want a name, or name:port", text)
		}
		g.hosts[strings.ToLower(u.Host)] = true
	}
	for _, text := range o.AllowOrigins {
		u, ok := parseOrigin(text)
		if !ok {
			return nil, fmt.Errorf("bridge: allowed origin %q: want scheme://name, or scheme://name:port", text)
		}
		g.origins[canonical(u)] = true
	}
	return g, nil
}

// admits reports whether Host and Origin of a request are to be served, and else why not.
func (g *gate) admits(r *http.Request) error {
	if !g.admitsHost(r.Host) {
		return fmt.Errorf("host %.100q is neither a loopback name nor allowed", r.Host)
	}
	switch origins := r.Header.Values("Origin"); len(origins) {
	case 0: // no page
		return nil
	case 1:
		if g.admitsOrigin(origins[0]) {
			return nil
		}
		return fmt.Errorf("origin %.100q is neither of a loopback name nor allowed", origins[0])
	}
	return fmt.Errorf("more than one origin")
}

func (g *gate) admitsHost(text string) bool {
	u, ok := parseHost(text)
	return ok && (isLoopback(u.Hostname()) || g.hosts[strings.ToLower(u.Host)] || g.hosts[strings.ToLower(u.Hostname())])
}

func (g *gate) admitsOrigin(text string) bool {
	u, ok := parseOrigin(text)
	if !ok { // "null" among them
		return false
	}
	isWeb := u.Scheme == "http" || u.Scheme == "https"
	return isWeb && isLoopback(u.Hostname()) || g.origins[canonical(u)]
}

// knows reports whether a request brings the token, as a bearer or in its URL. How long it takes says
// nothing about the token.
func (g *gate) knows(r *http.Request) bool {
	token, isBearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !isBearer {
		token = r.URL.Query().Get("token")
	}
	given := sha256.Sum256([]byte(token))
	return !g.hasToken || subtle.ConstantTimeCompare(given[:], g.token[:]) == 1
}

// admitOrigin lets a page of another origin, which the gate has admitted, read the answers; the token
// keeps what is not for it. It reports whether the request was the browser's question about that.
func admitOrigin(w http.ResponseWriter, r *http.Request) (asked bool) {
	header := w.Header()
	header.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	header.Set("Access-Control-Allow-Origin", origin)
	header.Set("Access-Control-Expose-Headers", "ETag")
	if r.Method != http.MethodOptions {
		return false
	}
	header.Set("Access-Control-Allow-Methods", "GET, PUT")
	header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, If-Match, If-None-Match")
	header.Set("Access-Control-Allow-Private-Network", "true") // asked by public pages of loopback addresses
	w.WriteHeader(http.StatusNoContent)
	return true
}

func parseHost(text string) (*url.URL, bool) {
	u, err := url.Parse("//" + text)
	return u, err == nil && isBare(u) && u.Path == ""
}

func parseOrigin(text string) (*url.URL, bool) {
	u, err := url.Parse(text)
	return u, err == nil && isBare(u) && u.Path == "" && u.Scheme != "" && u.Opaque == ""
}

// isBare excludes the parts of a URL that make a name look like another.
func isBare(u *url.URL) bool {
	return u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == "" && u.Hostname() != ""
}

func canonical(u *url.URL) string {
	name := strings.ToLower(u.Host)
	switch {
	case u.Scheme == "http":
		name = strings.TrimSuffix(name, ":80")
	case u.Scheme == "https":
		name = strings.TrimSuffix(name, ":443")
	}
	return u.Scheme + "://" + name
}

// isLoopback knows a loopback name without asking anybody: what a name resolves to is the attacker's to
// say. A name below localhost is not sure to stay on this machine.
func isLoopback(name string) bool {
	if name = strings.ToLower(name); name == "localhost" || name == "localhost." {
		return true
	}
	address, err := netip.ParseAddr(name)
	return err == nil && address.Zone() == "" && address.IsLoopback()
}
