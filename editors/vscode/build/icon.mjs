// Draws the icon: a folder with an arrow that turns back. There is no image library; a PNG is a few chunks.

import { deflateSync, crc32 } from 'node:zlib';

const SIZE = 256;
const BACK = [20, 50, 58];
const FOLDER = [243, 186, 74];
const ARROW = [20, 50, 58];

/** The distance of a point to a rectangle with round corners; negative inside. */
function box(x, y, [left, top, right, bottom], radius) {
  const dx = Math.abs(x - (left + right) / 2) - (right - left) / 2 + radius;
  const dy = Math.abs(y - (top + bottom) / 2) - (bottom - top) / 2 + radius;
  return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - radius;
}

/** The distance to an arc of a circle, from an angle to another one, with a width. */
function arc(x, y, [cx, cy, radius], [from, to], width) {
  let angle = Math.atan2(y - cy, x - cx);
  if (angle < from) angle += 2 * Math.PI;
  if (angle <= to) return Math.abs(Math.hypot(x - cx, y - cy) - radius) - width / 2;
  const end = (at) => Math.hypot(x - cx - radius * Math.cos(at), y - cy - radius * Math.sin(at));
  return Math.min(end(from), end(to)) - width / 2;
}

/** The distance to a triangle, whose corners go around clockwise; negative inside. */
function triangle(x, y, corners) {
  let most = -Infinity;
  corners.forEach(([ax, ay], index) => {
    const [bx, by] = corners[(index + 1) % 3];
    most = Math.max(most, ((x - ax) * (by - ay) - (y - ay) * (bx - ax)) / Math.hypot(bx - ax, by - ay));
  });
  return most;
}

/** How much of a pixel is inside a shape. */
const covered = (distance) => Math.min(1, Math.max(0, 0.5 - distance));

function pixel(x, y) {
  const layers = [
    [BACK, box(x, y, [0, 0, 256, 256], 52)],
    [FOLDER, Math.min(box(x, y, [40, 62, 132, 130], 16), box(x, y, [40, 84, 216, 204], 18))],
    [ARROW, arc(x, y, [132, 146, 34], [-2.3, 2.4], 15)],
    [ARROW, triangle(x, y, [[84, 142], [112, 98], [128, 134]])],
  ];
  let color = [0, 0, 0];
  let alpha = 0;
  for (const [own, distance] of layers) {
    const part = covered(distance);
    color = color.map((value, index) => value * (1 - part) + own[index] * part);
    alpha = alpha * (1 - part) + part;
  }
  const scale = alpha === 0 ? 0 : 1 / alpha;
  return [...color.map((value) => Math.round(Math.min(255, value * scale))), Math.round(alpha * 255)];
}

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const frame = Buffer.alloc(8 + body.length);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), 4 + body.length);
  return frame;
}

/** The icon as the bytes of a PNG file. */
export function icon() {
  const rows = Buffer.alloc(SIZE * (1 + SIZE * 4));
  for (let y = 0; y < SIZE; y += 1) {
    for (let x = 0; x < SIZE; x += 1) Buffer.from(pixel(x + 0.5, y + 0.5)).copy(rows, y * (1 + SIZE * 4) + 1 + x * 4);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIZE, 0);
  header.writeUInt32BE(SIZE, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows, { level: 9 })), chunk('IEND', Buffer.alloc(0))]);
}
