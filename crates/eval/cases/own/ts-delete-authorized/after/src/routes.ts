import type { Express, Request, Response } from "express";
import { findNote, removeNote, saveNote } from "./store";

/** Whoever is signed in; `authenticate` has put them there. */
function user(request: Request): string {
  return request.res!.locals.user as string;
}

export function routes(app: Express): void {
  app.get("/notes/:id", (request: Request, response: Response) => {
    const note = findNote(request.params.id);
    if (!note || note.owner !== user(request)) {
      response.sendStatus(404);
      return;
    }
    response.json(note);
  });

  app.put("/notes/:id", (request: Request, response: Response) => {
    const note = findNote(request.params.id);
    if (!note || note.owner !== user(request)) {
      response.sendStatus(404);
      return;
    }
    saveNote({ ...note, text: String(request.body.text) });
    response.sendStatus(204);
  });

  app.delete("/notes/:id", (request: Request, response: Response) => {
    const note = findNote(request.params.id);
    if (!note || note.owner !== user(request)) {
      response.sendStatus(404);
      return;
    }
    removeNote(note.id);
    response.sendStatus(204);
  });
}
