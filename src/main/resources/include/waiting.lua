-- Needs head.lua.
-- How many orders and grabs wait in a stream, if this is the partition's last number.
local function count_waiting(stream, number)
  local first = first_waiting(stream)
  return math.max(redis.call('XLEN', stream), first and number + 1 - first or 0)
end
