const dayMs = 86_400_000

/**
 * A moment as `2026-11-21T03:19:40Z` (RFC 3339, whole seconds). `ms`: since 1970 UTC, from then to the year 9999. Days
 * to dates by 400-year cycles counted from March, so that the leap day ends each year.
 */
export function utcText(ms: number): string {
  const days = Math.floor(ms / dayMs) + 719_468
  const cycle = Math.floor(days / 146_097)
  const day = days - cycle * 146_097
  const year = Math.floor((day - Math.floor(day / 1_460) + Math.floor(day / 36_524) - Math.floor(day / 146_096)) / 365)
  const dayOfYear = day - (365 * year + Math.floor(year / 4) - Math.floor(year / 100))
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const date = dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
  const fullYear = year + cycle * 400 + (month <= 2 ? 1 : 0)
  const second = Math.floor(ms / 1000) - Math.floor(ms / dayMs) * 86_400
  const time = [Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60].map(twoDigits).join(':')
  return `${String(fullYear).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(date)}T${time}Z`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
