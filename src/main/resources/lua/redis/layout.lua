#!lua flags=allow-oom
--[[
Layout: set the layout of an empty hash tag, or raise one to a later layout.

KEYS[1] layout  string  the layout of all data under this tag
then the keys of which one exists if the tag holds anything
ARGV[1] known   what the caller has read; "" for none
ARGV[2] wanted  the layout to set

Returns the first that applies:
  unversioned | layout

Keeps: the layout changes only from the one that the caller has read, so two callers agree on one.
Data without a layout stays without one, because its format is unknown.
]]
local layout = KEYS[1]
local known, wanted = unpack(ARGV)

local present = redis.call('GET', layout) or ''
if present ~= known then
  return present
end
for _, key in ipairs(KEYS) do
  if present == '' and redis.call('EXISTS', key) == 1 then
    return 'unversioned'
  end
end
redis.call('SET', layout, wanted)
return wanted
