/* Loaded into every HAProxy of the tests: README.md. */
#include <stdlib.h>

const char *X509_get_default_cert_dir(void) {
  const char *folder = getenv("SSL_CERT_DIR");
  return folder != NULL ? folder : "/etc/ssl/certs";
}
