const daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334] as const

/** Milliseconds since 1970 of `YYYYMMDDHHMMSS`; undefined where there is no such moment. */
export function msOfDigits(digits: string): number | undefined {
  if (!/^\d{14}$/.test(digits)) return undefined
  const year = Number(digits.slice(0, 4))
  const [month = 0, day = 0, hour = 0, minute = 0, second = 0] = (digits.slice(4).match(/../g) ?? []).map(Number)
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const before = daysBefore[month - 1]
  if (before === undefined || hour > 23 || minute > 59 || second > 59) return undefined
  const length = (daysBefore[month] ?? 365) - before + (isLeap && month === 2 ? 1 : 0)
  if (day < 1 || day > length) return undefined
  const past = year - 1
  const leapDays = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400)
  const days = 365 * past + leapDays + before + (isLeap && month > 2 ? 1 : 0) + day - 1 - daysTo1970
  return ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000
}

/** From the first day of year 1. */
const daysTo1970 = 719_162
