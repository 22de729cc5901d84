#!lua flags=allow-oom
--[[
Followed: remove the note of a change that all shards have followed.

KEYS[1] unfinished  hash  what must still reach other shards of a sale
ARGV[1] note  ARGV[2] version

Returns the number of notes removed.

Keeps: the note of a later change stays.
]]
local unfinished = KEYS[1]
local note, version = unpack(ARGV)

if redis.call('HGET', unfinished, note) ~= version then
  return 0
end
return redis.call('HDEL', unfinished, note)
