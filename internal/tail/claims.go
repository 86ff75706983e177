package tail

import "sync"

type inodeKey struct{ device, inode uint64 }

// claims are what followers share: whose stream a log is, and whose file an
// inode is. A file that has two names is read once.
type claims struct {
	mu      sync.Mutex
	streams map[string]bool
	owner   map[inodeKey]*stream

	orphans map[string]*SavedStream // of inputs that have another name now, or none
	looking int                     // followers that have not yet looked for them
}

func newClaims() *claims {
	return &claims{streams: map[string]bool{}, owner: map[inodeKey]*stream{}, orphans: map[string]*SavedStream{}}
}

// adopt takes the orphan of a key, nil if there is none.
func (c *claims) adopt(key string) *SavedStream {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.orphans[key]
	delete(c.orphans, key)
	return s
}

// looked tells that a follower has seen all that it finds. When all have, the
// orphans that are left belong to what is no longer followed.
func (c *claims) looked() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.looking--; c.looking == 0 {
		clear(c.orphans)
	}
}

func (c *claims) saveOrphans(list []SavedStream) []SavedStream {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.orphans {
		list = append(list, *s)
	}
	return list
}

func (c *claims) take(k inodeKey, s *stream) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owner[k] = s
}

func (c *claims) drop(k inodeKey, s *stream) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owner[k] == s {
		delete(c.owner, k)
	}
}

// isOthers says whether an inode belongs to another stream than s.
func (c *claims) isOthers(k inodeKey, s *stream) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	owner := c.owner[k]
	return owner != nil && owner != s
}

// begin is false when there is such a stream already.
func (c *claims) begin(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streams[key] {
		return false
	}
	c.streams[key] = true
	return true
}

func (c *claims) end(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.streams, key)
}
