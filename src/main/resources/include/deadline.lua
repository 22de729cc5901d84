-- Whether the deadline of the request at this place has passed, where the earliest has. They are
-- read one by one, as this is seldom asked. One that is no number is a defect.
local function is_over(deadlines, place, now, earliest)
  local passed = 0
  for deadline in string.gmatch(deadlines, '%S+') do
    passed = passed + 1
    if passed == place then
      return now > tonumber(deadline)
    end
  end
  return now > earliest
end
