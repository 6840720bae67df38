/** How clients of the field know lists of errors: one text, a line for each behind a heading that counts them. */
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
 * error that holds a line of a list itself is cut there: for people alone.
 */
export function errorsIn(text: string): ListedErrors | undefined {
  const [, before = '', count = '', list = ''] = /^(.*?)(\d+) error\(s\) occurred:\n\n\* (.*)$/s.exec(text) ?? []
  if (count === '') return undefined
  const errors = list.split('\n* ')
  return { heading: errors.length === 1 ? before : `${before}${count} error(s) occurred:`, errors }
}
