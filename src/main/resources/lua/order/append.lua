#!lua
--[[
Append: put a dead letter that is neither an order nor a grab back into its partition's stream.

KEYS[1] stream  stream  accepted orders and grabs of the partition
ARGV  the entry's fields, names and values in turn

Returns the id of the entry.

Keeps: the entry has its former fields, and nothing else is written.
]]
local stream = KEYS[1]

return redis.call('XADD', stream, '*', unpack(ARGV))
