package dev.rush.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/**
 * A self-signed certificate with its key, as PEM files for servers and pods. A client with only
 * this certificate in its trust bundle trusts no other.
 *
 * @param certificate for the server, and as trust bundle
 * @param key readable only by its owner, as PostgreSQL requires
 */
public record Certificates(Path certificate, Path key) {
    private static final String PASSWORD = "changeit";

    /**
     * Creates a certificate for some host names.
     *
     * @param folder the folder for its files
     * @param names the names that it is valid for, for example {@code dns:localhost}
     */
    public static Certificates of(Path folder, String name, String... names) {
        Path store = folder.resolve(name + ".p12");
        try {
            Command.run(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair", "-alias", name, "-keyalg", "RSA", "-validity", "2", "-dname",
                    "CN=" + name, "-ext", "SAN=" + String.join(",", names), "-storetype", "PKCS12",
                    "-keystore", store.toString(), "-storepass", PASSWORD);
            KeyStore keyStore = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                keyStore.load(in, PASSWORD.toCharArray());
            }
            Path certificate = Files.writeString(folder.resolve(name + ".crt"),
                    pem("CERTIFICATE", keyStore.getCertificate(name).getEncoded()));
            Path key = Files.createFile(folder.resolve(name + ".key"),
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
            Files.writeString(key, pem("PRIVATE KEY",
                    keyStore.getKey(name, PASSWORD.toCharArray()).getEncoded()));
            return new Certificates(certificate, key);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes a trust bundle of several certificates. */
    public static Path bundle(Path file, Certificates... trusted) {
        try {
            StringBuilder all = new StringBuilder();
            for (Certificates each : trusted) {
                all.append(Files.readString(each.certificate));
            }
            return Files.writeString(file, all);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String pem(String type, byte[] content) {
        return "-----BEGIN " + type + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content)
                + "\n-----END " + type + "-----\n";
    }
}
