// SPDX-License-Identifier: Apache-2.0
/*
 * weft_core.hpp - errors, handles and spans of weft.hpp.
 */
#ifndef WEFT_CORE_HPP
#define WEFT_CORE_HPP

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <unistd.h>

#if defined(__has_include)
#if __has_include(<span>) && __cplusplus >= 202002L
#include <span>
#endif
#endif

#include <weft/context.h>
#include <weft/error.h>

#if !defined(__cpp_exceptions) && !defined(WEFT_NO_EXCEPTIONS)
#define WEFT_NO_EXCEPTIONS 1
#endif

namespace weft {

/* ---- spans: std::span where there is one ---- */

#if defined(__cpp_lib_span)
template <class T> using span = std::span<T>;
#else
template <class T> class span {
public:
    span() = default;
    span(T *data, std::size_t size) : data_(data), size_(size) {}
    template <std::size_t N> span(T (&array)[N]) : data_(array), size_(N) {}
    template <class C, class = decltype(std::declval<C &>().data()),
              class = decltype(std::declval<C &>().size())>
    span(C &&container) : data_(container.data()), size_(container.size()) {}
    T *data() const { return data_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T &operator[](std::size_t i) const { return data_[i]; }
    T *begin() const { return data_; }
    T *end() const { return data_ + size_; }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};
#endif

/* ---- errors ---- */

/* Which, why, and the input, tensor or file involved. */
class error : public std::runtime_error {
public:
    error(weft_error_kind kind, const std::string &message, std::string name = {})
        : std::runtime_error(message), kind_(kind), name_(std::move(name)) {}
    weft_error_kind kind() const noexcept { return kind_; }
    const char *kind_name() const noexcept
    {
        return kind_ ? weft_error_kind_name(kind_) : "none";
    }
    const std::string &name() const noexcept { return name_; }

private:
    weft_error_kind kind_;
    std::string name_;
};

/* Without exceptions: the last error of this thread; kind WEFT_ERROR_NONE if there was none. */
inline error &last_error()
{
    static thread_local error last(WEFT_ERROR_NONE, "");
    return last;
}
inline void clear_error() { last_error() = error(WEFT_ERROR_NONE, ""); }

namespace detail {

/* Throws, or notes the error. */
inline void fail(error e)
{
#ifdef WEFT_NO_EXCEPTIONS
    last_error() = std::move(e);
#else
    throw e;
#endif
}

inline std::string text(const char *s) { return s ? s : ""; }

/* ---- handles ---- */

/* A counted object of the library. */
template <class T, void (*Release)(T *), T *(*Retain)(T *)> class handle {
public:
    handle() = default;
    explicit handle(T *pointer) : pointer_(pointer), process_(getpid()) {}
    handle(const handle &other) : pointer_(copied(other)), process_(getpid()) {}
    handle(handle &&other) noexcept : pointer_(other.pointer_), process_(other.process_)
    {
        other.pointer_ = nullptr;
    }
    handle &operator=(handle other) noexcept
    {
        std::swap(pointer_, other.pointer_);
        std::swap(process_, other.process_);
        return *this;
    }
    ~handle() { release(); }

    /* Gives the object up; releasing again changes nothing. */
    void release()
    {
        T *pointer = std::exchange(pointer_, nullptr);
        if (pointer && process_ == getpid())
            Release(pointer);
    }
    explicit operator bool() const { return pointer_ != nullptr; }
    /* The object of the C interface; null, with an error, if it cannot be used. */
    T *get() const
    {
        if (pointer_ && process_ == getpid())
            return pointer_;
        fail(error(WEFT_ERROR_INVALID, pointer_ ? "objects cannot be used in a child of fork()"
                                                : "the object was released"));
        return nullptr;
    }

private:
    static T *copied(const handle &other)
    {
        return other.pointer_ && other.process_ == getpid() ? Retain(other.pointer_) : nullptr;
    }
    T *pointer_ = nullptr;
    pid_t process_ = 0;
};

/* For objects that are not counted: they move, and are not copied. */
template <class T, void (*Release)(T *)> class unique {
public:
    unique() = default;
    explicit unique(T *pointer) : pointer_(pointer), process_(getpid()) {}
    unique(unique &&other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)),
                                      process_(other.process_) {}
    unique &operator=(unique &&other) noexcept
    {
        std::swap(pointer_, other.pointer_);
        std::swap(process_, other.process_);
        return *this;
    }
    ~unique() { release(); }
    void release()
    {
        T *pointer = std::exchange(pointer_, nullptr);
        if (pointer && process_ == getpid())
            Release(pointer);
    }
    explicit operator bool() const { return pointer_ != nullptr; }
    T *get() const
    {
        if (!pointer_ || process_ != getpid())
            fail(error(WEFT_ERROR_INVALID, "the object was released, or belongs to a parent"));
        return process_ == getpid() ? pointer_ : nullptr;
    }

private:
    T *pointer_ = nullptr;
    pid_t process_ = 0;
};

/* The C functions by their exact types, for template arguments. */
inline weft_context *context_retain(weft_context *c) { return weft_context_retain(c); }
inline void context_release(weft_context *c) { weft_context_release(c); }

} // namespace detail

/* ---- the context of tensors, solvers and models ---- */

struct context_options {
    std::string adapter;            /* "cpu", "gpu", part of a name   "": the best          */
    std::string library;            /* with webgpu.h                  "": Weft's own        */
    bool        no_device = false;  /* for files and texts alone                            */
    std::uint32_t threads = 0;
    std::uint64_t memory_budget = 0;
    bool        checked = false;
};

class context {
public:
    explicit context(const context_options &o = {})
    {
        weft_context_desc d{};
        d.adapter = o.adapter.empty() ? nullptr : o.adapter.c_str();
        d.library = o.library.empty() ? nullptr : o.library.c_str();
        d.no_device = o.no_device;
        d.threads = o.threads;
        d.memory_budget = o.memory_budget;
        d.checked = o.checked;
        handle_ = detail::handle<weft_context, detail::context_release, detail::context_retain>(
            weft_context_create(&d));
        check();
    }
    explicit context(const char *adapter)
        : context(context_options{adapter, {}, false, 0, 0, false}) {}

    weft_context *get() const { return handle_.get(); }
    void release() { handle_.release(); }
    explicit operator bool() const { return bool(handle_); }
    /* Null without a device. */
    const weft_device_info *device() const { return weft_context_device(get()); }

    /* Fails with the error of the context, if it has one; true without one. */
    bool check() const
    {
        const weft_error *e = weft_context_error(get());
        if (!e->kind)
            return true;
        error found(e->kind, e->message, e->name_count ? detail::text(e->names[0]) : "");
        weft_context_error_clear(get());
        detail::fail(std::move(found));
        return false;
    }
    /* A result of the C interface: what is null or false is an error. */
    template <class R> R checked(R result) const
    {
        if (!result)
            check();
        return result;
    }

private:
    detail::handle<weft_context, detail::context_release, detail::context_retain> handle_;
};

} // namespace weft

#endif
