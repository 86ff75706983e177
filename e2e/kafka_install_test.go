//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// kafkaVersion is the broker's, and the version of what it logs with.
const (
	kafkaVersion = "4.1.1"
	log4jVersion = "2.24.3"
)

const kafkaProject = `<project><modelVersion>4.0.0</modelVersion><groupId>e2e</groupId><artifactId>kafka</artifactId><version>1</version><dependencies>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>%s</version></dependency>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>%s</version>
<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions></dependency>
<dependency><groupId>org.apache.logging.log4j</groupId><artifactId>log4j-slf4j-impl</artifactId><version>%s</version></dependency>
</dependencies></project>
`

// installKafka returns the folder with the broker's archives. Like Envoy, it
// is installed into a temporary folder first.
func installKafka() (string, error) {
	for _, tool := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", err
		}
	}
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "kafka-tools-"+kafkaVersion)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(cache, "install-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if err := os.WriteFile(filepath.Join(tmp, "pom.xml"), fmt.Appendf(nil, kafkaProject, kafkaVersion, kafkaVersion, log4jVersion), 0o644); err != nil {
		return "", err
	}
	libs := filepath.Join(tmp, "libs")
	cmd := exec.Command("mvn", "-q", "-B", "-f", filepath.Join(tmp, "pom.xml"), "dependency:copy-dependencies", "-DoutputDirectory="+libs, "-DincludeScope=runtime")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("mvn dependency:copy-dependencies: %w: %s", err, out)
	}
	if err := os.Rename(libs, dir); err != nil && !os.IsExist(err) {
		return "", err
	}
	return dir, nil
}

// needKafka returns the folder, or ends the test: as a failure unless
// E2E_ALLOW_MISSING names kafka.
func needKafka(t *testing.T) (dir string, ok bool) {
	t.Helper()
	dir, err := installKafka()
	switch {
	case err == nil:
		return dir, true
	case allowedMissing("kafka"):
		t.Logf("MISSING kafka, as allowed: nothing of it was tested: %v", err)
		return "", false
	}
	t.Fatalf("MISSING kafka: %v", err)
	return "", false
}

// librdkafka is the wheel that holds the C library, with Python in front.
const librdkafka = "confluent-kafka==2.16.1"

// installLibrdkafka returns the folder that Python finds it in.
func installLibrdkafka(t *testing.T) string {
	t.Helper()
	cache, err := cacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, strings.ReplaceAll(librdkafka, "==", "-"))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	tmp, err := os.MkdirTemp(cache, "install-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	cmd := exec.Command("python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target", tmp, librdkafka)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("pip install %s: %v: %s", librdkafka, err, out)
	}
	if err := os.Rename(tmp, dir); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
	return dir
}
