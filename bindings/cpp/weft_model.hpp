// SPDX-License-Identifier: Apache-2.0
/*
 * weft_model.hpp - language models from GGUF files (weft/model.h).
 *
 *     weft::model m(ctx, "tinyllama.gguf");
 *     weft::session s(m);
 *     s.generate("Once upon a time", {}, [](std::string_view piece) { std::cout << piece;
 *                                                                     return true; });
 */
#ifndef WEFT_MODEL_HPP
#define WEFT_MODEL_HPP

#include <functional>
#include <string_view>

#include <weft/model.h>

#include "weft_core.hpp"

namespace weft {

namespace detail {
inline weft_model *model_retain(weft_model *m) { return weft_model_retain(m); }
inline void model_release(weft_model *m) { weft_model_release(m); }
inline weft_model_session *session_retain(weft_model_session *s)
{
    return weft_model_session_retain(s);
}
inline void session_release(weft_model_session *s) { weft_model_session_release(s); }
} // namespace detail

class model {
public:
    model(const context &c, const std::string &path) : context_(c)
    {
        weft_model_desc d{};
        d.path = path.c_str();
        handle_ = decltype(handle_)(weft_model_create(c.get(), &d));
        if (!handle_)
            c.check();
    }
    weft_model *get() const { return handle_.get(); }
    const context &in() const { return context_; }
    explicit operator bool() const { return bool(handle_); }
    weft_model_info info() const
    {
        weft_model_info i{};
        weft_model_info_get(&i, get());
        return i;
    }
    std::vector<weft_token> tokenize(std::string_view text, std::uint32_t flags = 0) const
    {
        weft_model_tokenizer *t = weft_model_tokenizer_of(get());
        std::size_t count = weft_model_tokenize_bound(t, text.size());
        std::vector<weft_token> out(count);
        if (!context_.checked(weft_model_tokenize(out.data(), &count, t, text.data(), text.size(),
                                                  flags)))
            count = 0;
        out.resize(count);
        return out;
    }
    std::string detokenize(const std::vector<weft_token> &tokens,
                           std::uint32_t flags = WEFT_MODEL_DETOKENIZE_STRIP) const
    {
        weft_model_tokenizer *t = weft_model_tokenizer_of(get());
        std::size_t size = 0;
        weft_model_detokenize(nullptr, &size, t, tokens.data(), tokens.size(), flags);
        std::string out(size, '\0');
        context_.checked(weft_model_detokenize(out.data(), &size, t, tokens.data(), tokens.size(),
                                               flags));
        return out;
    }

private:
    context context_;
    detail::handle<weft_model, detail::model_release, detail::model_retain> handle_;
};

struct answer {
    std::string     text;
    weft_model_stop stop = WEFT_MODEL_STOP_CALLER;
    std::uint32_t   prompt_tokens = 0, tokens = 0;
};

/* A part of the answer as it comes; false stops it. Must not throw. */
using on_text = std::function<bool(std::string_view)>;

class session {
public:
    explicit session(const model &m, const weft_model_session_desc &d = {})
        : context_(m.in()), embedding_(m.info().embedding),
          handle_(weft_model_session_create(m.get(), &d))
    {
        if (!handle_)
            context_.check();
    }
    weft_model_session *get() const { return handle_.get(); }
    explicit operator bool() const { return bool(handle_); }
    void cancel() { weft_model_session_cancel(get()); }

    answer generate(const std::string &prompt, weft_model_generate_desc d = {},
                    const on_text &f = nullptr)
    {
        weft_model_answer raw{};
        listen(d, f);
        return taken(context_.checked(weft_model_session_generate(&raw, get(), prompt.c_str(), &d)),
                     raw);
    }
    /* Pairs of role and content. */
    answer chat(const std::vector<std::pair<std::string, std::string>> &messages,
                weft_model_generate_desc d = {}, const on_text &f = nullptr)
    {
        std::vector<weft_model_message> rows;
        for (const auto &m : messages)
            rows.push_back({m.first.c_str(), m.second.c_str(), m.second.size(), nullptr});
        weft_model_answer raw{};
        listen(d, f);
        return taken(context_.checked(weft_model_session_chat(&raw, get(), rows.data(), rows.size(),
                                                              &d)), raw);
    }
    /* A vector for each text. */
    std::vector<std::vector<float>> embed(const std::vector<std::string> &texts)
    {
        std::vector<const char *> raw;
        for (const std::string &t : texts)
            raw.push_back(t.c_str());
        std::vector<float> flat(texts.size() * embedding_);
        std::vector<std::vector<float>> out;
        if (!context_.checked(weft_model_session_embed(flat.data(), get(), raw.data(), raw.size(),
                                                       nullptr)))
            return out;
        for (std::size_t i = 0; i < texts.size(); i++)
            out.emplace_back(flat.data() + i * embedding_, flat.data() + (i + 1) * embedding_);
        return out;
    }

private:
    static void listen(weft_model_generate_desc &d, const on_text &f)
    {
        if (!f)
            return;
        d.user = const_cast<on_text *>(&f);
        d.on_text = [](void *user, const weft_model_piece *p) {
            return !p->size || (*static_cast<on_text *>(user))({p->text, p->size});
        };
    }
    static answer taken(bool ok, weft_model_answer &raw)
    {
        answer a;
        if (ok)
            a = {std::string(raw.text ? raw.text : "", raw.size), raw.stop, raw.prompt_tokens,
                 raw.tokens};
        weft_model_answer_fini(&raw);
        return a;
    }
    context     context_;
    std::size_t embedding_;
    detail::handle<weft_model_session, detail::session_release, detail::session_retain> handle_;
};

} // namespace weft

#endif
