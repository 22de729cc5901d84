package dev.rush.nativeimage;

import com.oracle.svm.core.annotate.Alias;
import com.oracle.svm.core.annotate.Substitute;
import com.oracle.svm.core.annotate.TargetClass;
import io.quarkus.smallrye.openapi.runtime.OpenApiConstants;
import io.quarkus.smallrye.openapi.runtime.OpenApiDocumentHolder;
import io.quarkus.smallrye.openapi.runtime.OpenApiDocumentService;
import io.quarkus.smallrye.openapi.runtime.filter.AutoSecurityFilter;
import io.smallrye.openapi.runtime.io.Format;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/**
 * In the executable, Quarkus reads the OpenAPI document at each start and writes it again as JSON
 * and as YAML, which takes a tenth of the start. The build has already written the document, and
 * nothing changes it at run time, so it is read on the first request for it.
 */
@TargetClass(OpenApiDocumentService.class)
final class OpenApiOnRequest {

    @Alias
    private Map<String, OpenApiDocumentHolder> documentHolders;

    @Substitute
    void prepareDocument(AutoSecurityFilter security, List<String> filters, String name) {
        documentHolders.put(name, new Document());
    }

    /** The document as written by the build; there is only one. */
    static final class Document implements OpenApiDocumentHolder {

        @Override
        public byte[] getJsonDocument() {
            return read(Format.JSON);
        }

        @Override
        public byte[] getYamlDocument() {
            return read(Format.YAML);
        }

        private static byte[] read(Format format) {
            try (InputStream stream = Thread.currentThread().getContextClassLoader()
                    .getResourceAsStream(OpenApiConstants.BASE_NAME + "." + format)) {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
