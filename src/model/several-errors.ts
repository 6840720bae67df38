/**
 * The form in which clients of the field expect lists of errors: one text, with a heading that counts the errors and a
 * line for each.
 */
export function severalErrors(errors: readonly string[]): string {
  return `${errors.length} error(s) occurred:\n\n${errors.map((error) => `* ${error}`).join('\n')}`
}

export interface ListedErrors {
  /** The text before the list, including the heading; before a single error, without the heading. */
  readonly heading: string
  readonly errors: readonly string[]
}

/**
 * The errors of a text that ends with such a list, for faces that show them in another way; undefined: it has none. An
 * error that itself contains a line of a list is cut there, which is acceptable because only people read it.
 */
export function errorsIn(text: string): ListedErrors | undefined {
  const [, before = '', count = '', list = ''] = /^(.*?)(\d+) error\(s\) occurred:\n\n\* (.*)$/s.exec(text) ?? []
  if (count === '') return undefined
  const errors = list.split('\n* ')
  return { heading: errors.length === 1 ? before : `${before}${count} error(s) occurred:`, errors }
}
