package dev.rush.nativeimage;

import com.oracle.svm.core.annotate.Substitute;
import com.oracle.svm.core.annotate.TargetClass;
import io.quarkus.smallrye.openapi.runtime.OpenApiDocumentService;
import io.quarkus.smallrye.openapi.runtime.filter.AutoSecurityFilter;
import java.util.List;

/**
 * In the executable, Quarkus would parse the OpenAPI document at each start and write it again as
 * JSON and as YAML, which takes a tenth of the start. {@code http.OpenApiFile} serves it instead,
 * and says when this can be removed.
 */
@TargetClass(OpenApiDocumentService.class)
final class OpenApiUnprepared {

    @Substitute
    void prepareDocument(AutoSecurityFilter security, List<String> filters, String name) {
    }
}
