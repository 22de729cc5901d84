package dev.rush.nativeimage;

import com.oracle.svm.core.annotate.Substitute;
import com.oracle.svm.core.annotate.TargetClass;
import io.quarkus.smallrye.openapi.runtime.OpenApiDocumentService;
import io.quarkus.smallrye.openapi.runtime.filter.AutoSecurityFilter;
import java.util.List;

/**
 * Stops Quarkus from parsing and re-serializing the OpenAPI document at every start of the
 * executable. {@code http.OpenApiFile} says when this can be removed.
 */
@TargetClass(OpenApiDocumentService.class)
final class SkipOpenApiPreparation {

    @Substitute
    void prepareDocument(AutoSecurityFilter security, List<String> filters, String name) {
    }
}
