//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// installKafka returns the folder with the broker's archives.
func installKafka() (string, error) {
	for _, tool := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", err
		}
	}
	return installed("kafka-tools-"+kafkaVersion, func(tmp, root string) error {
		pom := filepath.Join(tmp, "pom.xml")
		if err := os.WriteFile(pom, fmt.Appendf(nil, kafkaProject, kafkaVersion, kafkaVersion, log4jVersion), 0o644); err != nil {
			return err
		}
		return command("mvn", "-q", "-B", "-f", pom, "dependency:copy-dependencies", "-DoutputDirectory="+root, "-DincludeScope=runtime")
	})
}

func needKafka(t *testing.T) (dir string, ok bool) {
	t.Helper()
	return need(t, "kafka", installKafka)
}

// librdkafka is the wheel that holds the C library, with Python in front.
const librdkafka = "confluent-kafka==2.16.1"

// installLibrdkafka returns the folder that Python finds it in.
func installLibrdkafka(t *testing.T) string {
	t.Helper()
	dir, err := installWheel(librdkafka)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
