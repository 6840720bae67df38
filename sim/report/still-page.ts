import { escaped } from './markup.ts'

/** A page that is drawn when it is made, and never changes: a title, and elements of HTML. */
export interface StillPage {
  /** Plain text. */
  readonly title: string
  /** Markup: every text of a user in it is escaped. */
  readonly body: string
}

/** One file of HTML: `template` is what the build made of `sim/page/still.css`. Its policy lets no script run. */
export function stillPage(template: string, { title, body }: StillPage): string {
  // Functions: a text in place of them would have its dollars read as patterns.
  return template.replace('<!-- title -->', () => escaped(title)).replace('<!-- film -->', () => body)
}
