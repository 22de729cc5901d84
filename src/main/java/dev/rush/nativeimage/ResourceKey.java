package dev.rush.nativeimage;

import com.oracle.svm.core.annotate.Alias;
import com.oracle.svm.core.annotate.Substitute;
import com.oracle.svm.core.annotate.TargetClass;
import java.util.function.BooleanSupplier;

/**
 * In the executable, each look for a resource compares keys of GraalVM's map of resources once per
 * module. The key is a record, and GraalVM 25 leaves what the compiler makes of a record's
 * {@code equals} to an interpreter of method handles; with all the service loaders that was a fifth
 * of the start. This is the same comparison, written out. A GraalVM without such keys does without.
 */
@TargetClass(className = "com.oracle.svm.core.jdk.Resources",
        innerClass = "ModuleInstanceResourceKey", onlyWith = ResourceKey.IsThere.class)
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

    static final class IsThere implements BooleanSupplier {

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
