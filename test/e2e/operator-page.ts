import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { chromiumProgram } from '../scenario/page-in-browser.ts'

/** The script of the accessibility checker; undefined: it is not installed, and its tests skip. */
export const checkerScript = pathOfChecker()

function pathOfChecker(): string | undefined {
  const require = createRequire(import.meta.url)
  try {
    return require.resolve('axe-core/axe.min.js')
  } catch {
    return undefined
  }
}

/** How long the page may take to say something, on a machine with much else to do. */
const saidWithinMs = 20_000

/**
 * Runs in the page. Looks when the page changes, not every so often: looking costs as much as the page does. Resolves with
 * the texts of all elements, joined by line ends, once they match, or as they are when the time is over.
 */
const textOnce = `({ selector, source, flags, ms }) => new Promise((resolve) => {
  const pattern = new RegExp(source, flags)
  const text = () => Array.from(document.querySelectorAll(selector), (each) => each.textContent).join('\\n')
  const end = () => { observer.disconnect(); clearTimeout(timer); resolve(text()) }
  const observer = new MutationObserver(() => { if (pattern.test(text())) end() })
  const timer = setTimeout(end, ms)
  observer.observe(document, { subtree: true, childList: true, characterData: true })
  if (pattern.test(text())) end()
})`

/** What the checker says about one rule that a page breaks. */
interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string }[]
}

/** The web interface of an agent, as an operator uses it: by labels, names of buttons, and what the page says. */
export class OperatorPage {
  readonly page: Page
  readonly context: BrowserContext
  readonly #browser: Browser
  readonly #root: string
  /** Exceptions of the page, and whatever its content policy has stopped. */
  readonly problems: string[] = []

  private constructor(browser: Browser, context: BrowserContext, page: Page, root: string) {
    this.#browser = browser
    this.context = context
    this.page = page
    this.#root = root
    page.on('pageerror', (error) => this.problems.push(error.message))
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) this.problems.push(message.text())
    })
  }

  static async open(root: string, colorScheme: 'light' | 'dark' = 'light'): Promise<OperatorPage> {
    const browser = await chromium.launch({ executablePath: chromiumProgram ?? '', args: ['--no-sandbox'] })
    const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, colorScheme })
    const opened = new OperatorPage(browser, context, await context.newPage(), root)
    await opened.page.goto(`${root}#/services`)
    return opened
  }

  close(): Promise<void> {
    return this.#browser.close()
  }

  /** Opens a place of the interface; the page itself is not loaded again. */
  async go(hash: string, title: string): Promise<void> {
    await this.page.goto(`${this.#root}${hash}`)
    await this.says('h1', title)
  }

  async giveToken(token: string): Promise<void> {
    await this.page.keyboard.press('t')
    await this.page.getByLabel(/Secret ID of a token/).fill(token)
    await this.page.keyboard.press('Enter')
    await expect.poll(() => this.page.locator('dialog[open]').count()).toBe(0)
  }

  form(title: string): Locator {
    return this.page.getByRole('form', { name: title, exact: true })
  }

  /** Fills in the fields of a form by their labels. */
  async fill(form: Locator, values: Readonly<Record<string, string>>): Promise<void> {
    for (const [label, value] of Object.entries(values)) {
      const field = form.getByLabel(label, { exact: true })
      if ((await field.evaluate(({ tagName }) => tagName)) === 'SELECT') await field.selectOption(value)
      else await field.fill(value)
    }
  }

  /** Fills in a form, sends it, and waits for what it says then. */
  async send(
    title: string,
    values: Readonly<Record<string, string>>,
    button: string,
    said: string | RegExp,
  ): Promise<void> {
    const form = this.form(title)
    await this.fill(form, values)
    await form.getByRole('button', { name: button, exact: true }).click()
    await this.says(`form[aria-label="${title}"]`, said)
  }

  /** Presses a button that asks once more, and answers yes. */
  async confirm(within: Locator, button: string): Promise<void> {
    await within.getByRole('button', { name: button, exact: true }).click()
    await within.getByRole('button', { name: `Yes, ${button.charAt(0).toLowerCase()}${button.slice(1)}` }).click()
  }

  async says(selector: string, text: string | RegExp): Promise<void> {
    const { source, flags } = typeof text === 'string' ? new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) : text
    const asked = { selector, source, flags, ms: saidWithinMs }
    expect(await this.page.evaluate<string>(`(${textOnce})(${JSON.stringify(asked)})`)).toMatch(text)
  }

  /** The rules of accessibility that the page breaks now, each with the first place. */
  async violations(): Promise<readonly string[]> {
    if (checkerScript === undefined) throw new Error('the checker is not installed')
    // The page's own policy lets no other script in, so the checker is evaluated from outside.
    await this.page.evaluate(readFileSync(checkerScript, 'utf8'))
    const found = await this.page.evaluate<readonly Violation[]>('axe.run().then(({ violations }) => violations)')
    return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
  }
}
