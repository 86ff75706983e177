package kafka

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"
)

// Security says how to connect. Secrets are named by file: arguments and
// environments can be read by others.
type Security struct {
	TLS        bool
	CA         string // file; "": the system's
	Cert, Key  string // files of the client's certificate
	ServerName string // "": the broker's host
	Insecure   bool   // any certificate will do

	SASL         string // one of Mechanisms, or ""
	User         string
	PasswordFile string
	ClearPlain   bool // PLAIN without TLS is wanted
}

// Mechanisms are the ways to log in.
var Mechanisms = []string{"plain", "scram-sha-256", "scram-sha-512"}

// Apply sets the options of a connection.
func (s *Security) Apply(o *Options) (err error) {
	if o.TLS, err = s.config(); err != nil {
		return err
	}
	o.SASL, err = s.mechanism()
	return err
}

func (s *Security) config() (*tls.Config, error) {
	if !s.TLS {
		if s.CA+s.Cert+s.Key+s.ServerName != "" || s.Insecure {
			return nil, errors.New("certificates are of no use without TLS")
		}
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: s.ServerName, InsecureSkipVerify: s.Insecure}
	if s.CA != "" {
		pem, err := os.ReadFile(s.CA)
		if err != nil {
			return nil, err
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: no certificate in it", s.CA)
		}
	}
	if s.Cert != "" || s.Key != "" {
		pair, err := tls.LoadX509KeyPair(s.Cert, s.Key)
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

func (s *Security) mechanism() (sasl.Mechanism, error) {
	switch {
	case s.SASL == "" && s.User+s.PasswordFile == "":
		return nil, nil
	case !slices.Contains(Mechanisms, s.SASL):
		return nil, fmt.Errorf("SASL mechanism %q: want one of %s", s.SASL, strings.Join(Mechanisms, ", "))
	case s.User == "" || s.PasswordFile == "":
		return nil, errors.New("SASL needs a user and a file with the password")
	case s.SASL == "plain" && !s.TLS && !s.ClearPlain:
		return nil, errors.New("SASL PLAIN without TLS would send the password in the clear")
	}
	m := login{*s}
	_, err := m.read()
	return m, err
}

// A login reads the password for every connection, so that a changed one is
// used without a restart, and none is kept.
type login struct{ Security }

// maxPassword is how long the file of a password may be.
const maxPassword = 4096

func (l login) read() (sasl.Mechanism, error) {
	f, err := os.Open(l.PasswordFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	secret, err := io.ReadAll(io.LimitReader(f, maxPassword))
	if err != nil {
		return nil, err
	}
	password := string(bytes.TrimRight(secret, "\r\n"))
	switch l.SASL {
	case "scram-sha-256":
		return scram.Mechanism(scram.SHA256, l.User, password)
	case "scram-sha-512":
		return scram.Mechanism(scram.SHA512, l.User, password)
	}
	return plain.Mechanism{Username: l.User, Password: password}, nil
}

// Name is sasl.Mechanism's.
func (l login) Name() string { return strings.ToUpper(l.SASL) }

// Start is sasl.Mechanism's.
func (l login) Start(ctx context.Context) (sasl.StateMachine, []byte, error) {
	m, err := l.read()
	if err != nil {
		return nil, nil, err
	}
	return m.Start(ctx)
}
