package dev.rush.nativeimage;

import com.oracle.svm.core.annotate.Alias;
import com.oracle.svm.core.annotate.Substitute;
import com.oracle.svm.core.annotate.TargetClass;
import java.util.function.BooleanSupplier;

/**
 * In the executable, each lookup of a resource compares keys of GraalVM's map of resources once per
 * module. The key is a record, and GraalVM 25 runs a record's generated {@code equals} in an
 * interpreter of method handles; with all the service loaders that was a fifth of the start. This
 * is the same comparison, hand-written. It is not applied to a GraalVM without such keys.
 */
@TargetClass(className = "com.oracle.svm.core.jdk.Resources",
        innerClass = "ModuleInstanceResourceKey", onlyWith = ResourceKey.IsPresent.class)
final class ResourceKey {

    @Alias
    private Module module;

    @Alias
    private String resource;

    @Alias
    @Override
    public native int hashCode();

    @Substitute
    @Override
    public boolean equals(Object other) {
        return other instanceof ResourceKey key && module == key.module
                && resource.equals(key.resource);
    }

    static final class IsPresent implements BooleanSupplier {

        @Override
        public boolean getAsBoolean() {
            try {
                Class.forName("com.oracle.svm.core.jdk.Resources$ModuleInstanceResourceKey");
                return true;
            } catch (ClassNotFoundException e) {
                return false;
            }
        }
    }
}
