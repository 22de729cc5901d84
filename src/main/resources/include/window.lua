-- Needs call.lua.
-- Why no user is served now, by the window and state of a sale or rain; nil while it is open.
local function window_refusal(opens_at, closes_at, paused, closed_at)
  if paused == '1' then
    return 'paused'
  end
  if now < tonumber(opens_at) then
    return 'not-open ' .. opens_at
  end
  if closed_at ~= '0' or (closes_at ~= '0' and now >= tonumber(closes_at)) then
    return 'closed'
  end
end
