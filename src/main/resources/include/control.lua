-- Passes a change to the ledger, with its actor, the values before and after it, and new terms if
-- they changed. Scripts define control, change, actor, cause and now before this. Where no ledger
-- keeps changes, change is - and control is missing.
local function keep(action, version, before, after, terms)
  if change ~= '-' then
    local entry = { 'change', table.concat({ change, action, version,
      string.format('%.0f', now), actor, before, after }, ' ') }
    if cause ~= '' then
      entry[3], entry[4] = 'cause', cause
    end
    if terms then
      entry[#entry + 1] = 'terms'
      entry[#entry + 1] = terms
    end
    redis.call('XADD', control, '*', unpack(entry))
  end
end
