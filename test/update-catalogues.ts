import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import PO from 'pofile'
import { catalogueFolder, keyOf } from '../src/pages/catalogues.ts'
import { sourceMessages } from './support/messages.ts'

// Writes the texts of the source into the catalogues, in their order there, and keeps the translations. New texts get an
// empty translation, and texts that the source no longer has are removed. An argument names a folder with other catalogues.
const folder = process.argv[2] ?? catalogueFolder
for (const file of globSync('*.po', { cwd: folder })) {
  const path = join(folder, file)
  const catalogue = PO.parse(readFileSync(path, 'utf8'))
  const known = new Map(catalogue.items.map((item) => [keyOf(item.msgid, item.msgctxt || undefined), item]))
  catalogue.items = sourceMessages().map(({ id, plural, context, files }) => {
    const item = known.get(keyOf(id, context)) ?? new PO.Item()
    item.msgid = id
    if (plural !== undefined) item.msgid_plural = plural
    if (context !== undefined) item.msgctxt = context
    item.references = files
    return item
  })
  writeFileSync(path, catalogue.toString())
}
