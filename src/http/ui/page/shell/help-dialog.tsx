import { useEffect, useRef } from 'preact/hooks'
import { shellWords } from '../words/shell-words.ts'

export function HelpDialog({ open, close }: { readonly open: boolean; close(): void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (open) dialog.current?.showModal()
    else dialog.current?.close()
  }, [open])
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="help-title">
      <h2 id="help-title">{shellWords.help}</h2>
      <dl class="facts">
        {shellWords.keys.map(([key, what]) => (
          <div key={what}>
            <dt>{key !== '' && <kbd>{key}</kbd>}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={close}>
        {shellWords.close}
      </button>
    </dialog>
  )
}
