#!lua flags=allow-oom
--[[
Layout: put a hash tag that holds nothing into a layout, or bring one to a later layout.

KEYS[1] layout  string  the layout of all data under this tag
then the keys of which one exists if the tag holds anything
ARGV[1] known   what the caller has read; "" for none
ARGV[2] wanted  the layout that it is to have

Returns the first that applies:
  unversioned | layout

Keeps: the layout changes only from what the caller knows, so two callers agree on one. Data without
a layout stays without: nobody knows how it is spelled.
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
