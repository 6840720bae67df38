import { useState } from 'preact/hooks'
import { type CommandLine, commandText, shellWord } from '../explain/command-line.ts'
import { useCaller } from '../live/context.ts'
import { shellWords } from '../words/shell-words.ts'

/** The command line that does or shows the same. */
export function Command({ line }: { readonly line: CommandLine }) {
  const { client } = useCaller()
  return <ToCopy text={commandText(client.product.name, line, client.caller.datacenter)} />
}

export interface RequestProps {
  readonly method?: 'GET' | 'PUT'
  /** As in `Asked`. */
  readonly path: string
}

/** The request that does or shows the same, for what the program has no command. The secret is that of the shell. */
export function Request({ method = 'GET', path }: RequestProps) {
  const { client } = useCaller()
  const { apiRoot, name, title } = client.product
  const { token, datacenter } = client.caller
  const verb = method === 'GET' ? [] : ['-X', method]
  const header = token === '' ? [] : ['-H', `"X-${title}-Token: $${name.toUpperCase()}_HTTP_TOKEN"`]
  const query = datacenter === '' ? '' : `?dc=${encodeURIComponent(datacenter)}`
  return <ToCopy text={['curl', ...verb, ...header, shellWord(`${apiRoot}${path}${query}`)].join(' ')} />
}

function ToCopy({ text }: { readonly text: string }) {
  const [copied, setCopied] = useState('')
  const copy = async (): Promise<void> => {
    // A page that was not loaded by TLS may not write to the clipboard: the text stays selectable.
    if (navigator.clipboard === undefined) return
    await navigator.clipboard.writeText(text)
    setCopied(text)
  }
  return (
    <p class="command">
      <span class="label">{shellWords.command}</span> <code>{text}</code>{' '}
      {navigator.clipboard !== undefined && (
        <button type="button" class="small" onClick={() => void copy()}>
          {copied === text ? shellWords.copied : shellWords.copy}
        </button>
      )}
    </p>
  )
}
