import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parentPort } from 'node:worker_threads'
import { initWasm, Resvg } from '@resvg/resvg-wasm'

/** Renders SVG drawings as PNG, one reply per message, outside the main thread: each takes a tenth of a second. */
const resource = (specifier: string) => readFileSync(fileURLToPath(import.meta.resolve(specifier)))

await initWasm(resource('@resvg/resvg-wasm/index_bg.wasm'))
const subsets = ['latin', 'latin-ext', 'vietnamese', 'greek', 'greek-ext', 'cyrillic', 'cyrillic-ext']
const fontBuffers = subsets.flatMap((subset) =>
  [400, 600].map((weight) => resource(`@fontsource/inter/files/inter-${subset}-${weight}-normal.woff2`)),
)

parentPort?.on('message', (svg: string) => {
  const drawing = new Resvg(svg, { font: { fontBuffers, defaultFontFamily: 'Inter', loadSystemFonts: false } })
  const image = drawing.render()
  const png = image.asPng()
  image.free()
  drawing.free()
  parentPort?.postMessage(png, [png.buffer as ArrayBuffer])
})
