package dev.rush.packaging;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An authority and a certificate by it, as the files of a Secret of cert-manager. */
final class Certificates {

    private Certificates() {
    }

    /** Makes the authority: ca.crt, and ca.key, which such a Secret does not have. */
    static void authority(Path folder) {
        Kustomize.write(folder.resolve("serial"), "");
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-days", "2", "-subj", "/CN=authority", "-keyout", file(folder, "ca.key"),
                "-out", file(folder, "ca.crt"));
    }

    /** Makes tls.crt and tls.key for these names. */
    static void sign(Path folder, List<String> names) {
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

    /** The certificate that a server shows, empty if it shows none. */
    static String shownBy(String address, int port) {
        String shown = Command.attempt(Map.of(), "sh", "-c", "timeout 5 openssl s_client -connect "
                + address + ":" + port + " < /dev/null 2> /dev/null").output();
        int begin = shown.indexOf("-----BEGIN CERTIFICATE-----");
        int end = shown.indexOf("-----END CERTIFICATE-----");
        return begin < 0 || end < begin ? "" : shown.substring(begin, end);
    }

    private static String file(Path folder, String name) {
        return folder.resolve(name).toString();
    }

    private static void openssl(String... arguments) {
        Command.run(Stream.concat(Stream.of("openssl"),
                Stream.of(arguments)).toArray(String[]::new));
    }
}
