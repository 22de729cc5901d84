#!lua
--[[
Replay: put an order or a grab into its partition's stream once more, after all others.

KEYS[1] stream  stream  accepted orders and grabs of the partition
KEYS[2] seq     string  accepted purchases and grabs of the partition
ARGV[1] kind    purchase or grab
ARGV[2] before  words of the entry before its place in the stream, each with a blank after it
ARGV[3] after   words after it, each with a blank before it

Returns the entry.

Keeps: its place is the partition's current number, so that the stream's head never goes back.
]]
local stream, seq = unpack(KEYS)
local kind, before, after = unpack(ARGV)
-- include enter

return enter(kind, before, after)
