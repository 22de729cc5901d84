/** Background tasks that continue after every failure. */
@NullMarked
package dev.rush.task;

import org.jspecify.annotations.NullMarked;
