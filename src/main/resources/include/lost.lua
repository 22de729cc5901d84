-- Whether `buyers` is lost: units are ordered, but no buyer has a record.
local function are_buyers_lost(stock, buyers)
  if redis.call('EXISTS', buyers) == 1 then
    return false
  end
  local counters = redis.call('HGETALL', stock)
  for i = 1, #counters, 2 do
    if string.find(counters[i], ':ordered$') and tonumber(counters[i + 1]) > 0 then
      return true
    end
  end
  return false
end
