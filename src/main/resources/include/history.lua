-- The reply to a request whose key was used before, or nil.
local function earlier(orders, refused, what, lines)
  local key, digest = string.match(what, '^%S+ (%S*) (%S+) %S+$')
  if refused[key] then
    return 'order-returned'
  end
  for i = 1, key == '' and 0 or #orders do
    local known = orders[i]
    -- A purchase without a client's key has its order as its key.
    if known.key == key or known.key == '' and known.order == key then
      -- The digest '=' stands for the lines themselves.
      if known.digest ~= digest or (digest == '=' and known.lines ~= lines) then
        return 'key-reused'
      end
      if known.state == 'r' then
        return 'rejected ' .. known.order
      end
      return table.concat({ 'replayed', known.order, known.at, known.pay_by, known.lines,
        known.lefts }, ' ')
    end
  end
end

-- Whether this buyer has sent the same within the window of the duplicate guard.
local function is_duplicate(orders, what, lines, kind, since)
  local digest = string.match(what, '^%S+ %S* (%S+) ')
  for i = #orders, 1, -1 do
    local known = orders[i]
    if tonumber(known.at) > since and (kind == 'user'
        or known.digest == digest and (digest ~= '=' or known.lines == lines)) then
      return true
    end
  end
  return false
end

-- Units of an item that a buyer's orders count against its limit.
local function units_of(orders, sku, returns_limit)
  local units = 0
  for i = 1, #orders do
    local state = orders[i].state
    if state == 'a' or (state ~= 'r' and returns_limit ~= '1') then
      for known, quantity in string.gmatch(orders[i].lines, '([^:,]+):(%d+)') do
        units = units + (known == sku and tonumber(quantity) or 0)
      end
    end
  end
  return units
end

local function limit_refusal(cart, orders, terms)
  for i = 1, #cart do
    local line = cart[i]
    local limit = line.item.limit
    local taken = limit > 0 and units_of(orders, line.sku, terms[8]) or 0
    if limit > 0 and taken + line.quantity > limit then
      return string.format('limit-reached item %s %d %d', line.sku, limit, taken)
    end
  end
  if #orders >= tonumber(terms[9]) then
    return string.format('limit-reached orders %d %d', terms[9], #orders)
  end
  local holds, max = 0, tonumber(terms[10])
  for i = 1, #orders do
    holds = holds + (orders[i].state == 'e' and 1 or 0)
  end
  if max > 0 and holds >= max then
    return string.format('limit-reached holds %d %d', max, holds)
  end
end
