//go:build e2e

package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"time"
)

// A pair is a certificate with its key.
type pair struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// pki holds the certificates of a run. All are signed by ca, but those of
// other: an authority that nobody trusts.
type pki struct {
	ca, other                         pair
	server, client                    pair // reviews.lab, client.lab
	expired, future, stranger, untold pair // out of date, not yet, of other, and for a name that nobody asks for
	expiredClient, strangerClient     pair
}

func newPKI() *pki {
	now := time.Now()
	day := 24 * time.Hour
	ca, other := newPair("Lab Root", nil, now.Add(-400*day), now.Add(day)), newPair("Other Root", nil, now.Add(-400*day), now.Add(day))
	leaf := func(name string, by *pair) pair { return newPair(name, by, now.Add(-day), now.Add(day)) }
	return &pki{
		ca: ca, other: other,
		server: leaf("reviews.lab", &ca), client: leaf("client.lab", &ca),
		expired: newPair("reviews.lab", &ca, now.Add(-100*day), now.Add(-90*day)), future: newPair("reviews.lab", &ca, now.Add(100*day), now.Add(200*day)),
		stranger: leaf("reviews.lab", &other), untold: leaf("ratings.lab", &ca),
		expiredClient: newPair("client.lab", &ca, now.Add(-100*day), now.Add(-90*day)), strangerClient: leaf("client.lab", &other),
	}
}

// newPair makes a certificate signed by the issuer, or an authority.
func newPair(name string, issuer *pair, from, to time.Time) pair {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: from, NotAfter: to, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if issuer == nil {
		template.IsCA, template.KeyUsage, template.ExtKeyUsage = true, x509.KeyUsageCertSign|x509.KeyUsageCRLSign, nil
		issuer = &pair{template, key}
	} else {
		template.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, issuer.cert, &key.PublicKey, issuer.key)
	if err != nil {
		panic(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err)
	}
	return pair{cert, key}
}

func (p pair) tls() tls.Certificate {
	return tls.Certificate{Certificate: [][]byte{p.cert.Raw}, PrivateKey: p.key}
}

func (p pair) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(p.cert)
	return pool
}

func (p pair) certPEM() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.cert.Raw}))
}

func (p pair) keyPEM() string {
	der, err := x509.MarshalPKCS8PrivateKey(p.key)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// revoked is a list of ca that takes back the certificate.
func (p *pki) revoked(leaf pair) string {
	list := &x509.RevocationList{
		Number: big.NewInt(1), ThisUpdate: time.Now().Add(-time.Hour), NextUpdate: time.Now().Add(time.Hour),
		RevokedCertificateEntries: []x509.RevocationListEntry{{SerialNumber: leaf.cert.SerialNumber, RevocationTime: time.Now().Add(-time.Hour)}},
	}
	der, err := x509.CreateRevocationList(rand.Reader, list, p.ca.cert, p.ca.key)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "X509 CRL", Bytes: der}))
}

// identity is the configuration of a certificate that Envoy shows.
func (p pair) identity() string {
	return "tls_certificates: [{certificate_chain: {inline_string: " + quote(p.certPEM()) + "}, private_key: {inline_string: " + quote(p.keyPEM()) + "}}]"
}

// trust is the configuration of what Envoy demands of the other side.
func (p pair) trust(more string) string {
	return "validation_context: {" + join(more, "trusted_ca: {inline_string: "+quote(p.certPEM())+"}") + "}"
}

// upstreamTLS is a cluster's transport socket; context are fields of its
// CommonTlsContext. TLS 1.2, unless the context says otherwise.
func upstreamTLS(context, fields string) string {
	context = defaults(context, "tls_params", "{tls_maximum_protocol_version: TLSv1_2}")
	return "transport_socket: " + filter("envoy.transport_sockets.tls", "transport_sockets.tls.v3.UpstreamTlsContext",
		join(defaults(fields, "sni", "reviews.lab"), "common_tls_context: {"+context+"}"))
}

// downstreamTLS is a filter chain's transport socket.
func downstreamTLS(context, fields string) string {
	return filter("envoy.transport_sockets.tls", "transport_sockets.tls.v3.DownstreamTlsContext", join(fields, "common_tls_context: {"+context+"}"))
}
