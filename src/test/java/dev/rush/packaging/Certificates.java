package dev.rush.packaging;

import dev.rush.testing.Command;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A certificate authority and its certificates, in the files of a cert-manager Secret. */
final class Certificates {

    private Certificates() {
    }

    /** Creates the authority: ca.crt, and ca.key, which such a Secret does not contain. */
    static void createAuthority(Path folder) {
        Kustomize.write(folder.resolve("serial"), "");
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-days", "2", "-subj", "/CN=authority", "-keyout", file(folder, "ca.key"),
                "-out", file(folder, "ca.crt"));
    }

    /** Issues tls.crt and tls.key for these DNS names, in place of the previous ones. */
    static void issue(Path folder, List<String> names) {
        Kustomize.write(folder.resolve("names"), "extendedKeyUsage=serverAuth,clientAuth\n"
                + names.stream().map(name -> "DNS:" + name)
                        .collect(Collectors.joining(",", "subjectAltName=", "\n")));
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-subj", "/CN=redis", "-keyout", file(folder, "new.key"),
                "-out", file(folder, "request"));
        openssl("x509", "-req", "-days", "2", "-in", file(folder, "request"),
                "-CA", file(folder, "ca.crt"), "-CAkey", file(folder, "ca.key"),
                "-CAcreateserial", "-extfile", file(folder, "names"),
                "-out", file(folder, "new.crt"));
        Command.run("mv", file(folder, "new.key"), file(folder, "tls.key"));
        Command.run("mv", file(folder, "new.crt"), file(folder, "tls.crt"));
    }

    /** Returns the certificate that a server presents in PEM; empty if it presents none. */
    static String presentedBy(String address, int port) {
        String output = Command.attempt(Map.of(), "sh", "-c", "timeout 5 openssl s_client -connect "
                + address + ":" + port + " < /dev/null 2> /dev/null").output();
        int begin = output.indexOf("-----BEGIN CERTIFICATE-----");
        int end = output.indexOf("-----END CERTIFICATE-----");
        return begin < 0 || end < begin ? "" : output.substring(begin, end);
    }

    private static String file(Path folder, String name) {
        return folder.resolve(name).toString();
    }

    private static void openssl(String... arguments) {
        Command.run(Stream.concat(Stream.of("openssl"),
                Stream.of(arguments)).toArray(String[]::new));
    }
}
