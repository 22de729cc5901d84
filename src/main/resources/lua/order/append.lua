#!lua
--[[
Append: put an entry that is neither of orders nor of grabs into its partition's stream once more.

KEYS[1] stream  stream  accepted orders and grabs of the partition
then its fields, each as name and value

Returns the entry.

Keeps: the entry has the fields that it had, and nothing else is written.
]]
local stream = KEYS[1]

return redis.call('XADD', stream, '*', unpack(ARGV))
