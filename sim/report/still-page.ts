import { escaped } from './markup.ts'

/** A static page: a title, and elements of HTML. */
export interface StillPage {
  /** Plain text. */
  readonly title: string
  /** Markup: every text from a user in it is escaped. */
  readonly body: string
}

/** One file of HTML: `template` is what the build made of `sim/page/still.css`. Its policy lets no script run. */
export function stillPage(template: string, { title, body }: StillPage): string {
  // Replacements are functions, because dollar signs in a text would be interpreted as patterns.
  return template.replace('<!-- title -->', () => escaped(title)).replace('<!-- film -->', () => body)
}
