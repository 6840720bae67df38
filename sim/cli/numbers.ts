import { InvalidArgumentError } from 'commander'

/** Numbers on a command line: refused with a line that says what to write. */
export function wholeNumber(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError('Write a whole number, such as 17.')
  return value
}

export function countTo(most: number, least = 1): (text: string) => number {
  return (text) => {
    const value = wholeNumber(text)
    if (value < least || value > most) throw new InvalidArgumentError(`Write a number from ${least} to ${most}.`)
    return value
  }
}
